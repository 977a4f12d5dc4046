/**
 * Settings of a PostgreSQL that is measured. What is committed is on the disk, as at the single node; the rest is what
 * every guide to PostgreSQL changes first.
 */
export const asInProduction = ['shared_buffers=1GB', 'max_wal_size=4GB', 'checkpoint_timeout=15min', 'wal_compression=on']
