export type { Limits } from './limits.ts';
export {
  type LiveUserDirectory,
  type LoadUsersOptions,
  loadUsers,
  type ReloadOutcome,
} from './load-users.ts';
export { SINGLE_USER_ID, singleUser } from './single-user.ts';
export {
  createUserDirectory,
  type KeyOwner,
  type UserDirectory,
  type UserPolicies,
} from './user-directory.ts';
export { mayUse, policyOf, type UserPolicy } from './user-policy.ts';
export {
  type ConfiguredGroup,
  type ConfiguredUser,
  type ConfiguredUsers,
  findConflicts,
  parseUsersFile,
} from './users-file.ts';
