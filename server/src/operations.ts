/** Every transaction of the program, by name: the embedded store's writer thread finds them here. */
export * from './store/operations.ts'
export { storeNotification } from './push/accept.ts'
export { planPage } from './push/plan.ts'
