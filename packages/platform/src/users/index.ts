export {
  type LiveUserDirectory,
  type LoadUsersOptions,
  loadUsers,
  type ReloadOutcome,
} from './load-users.ts';
export { SINGLE_USER_ID, singleUser } from './single-user.ts';
export { createUserDirectory, type KeyOwner, type UserDirectory } from './user-directory.ts';
export { type ConfiguredUser, parseUsersFile } from './users-file.ts';
