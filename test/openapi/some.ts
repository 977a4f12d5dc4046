/** The people and things of the examples, as the reference writes them. */
export const some = {
  user_id: 1007,
  username: 'ann',
  password: 'correct horse battery',
  mobile: '+4915100001007',
  email: 'ann@example.com',
  device_guid: 'phone-of-ann',
  admin_token: 'ca_admin-token',
  push_token: 'cp_push-token-of-phone-of-ann',
  group_id: 2003,
  task_id: 3042,
  token_id: 4011,
} as const
