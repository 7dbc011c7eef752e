export { checkInitData, InvalidInitDataError } from './check-init-data.ts';
export {
  createSessions,
  MAX_SESSIONS,
  type NewSession,
  SESSION_PREFIX,
  type Session,
  type SessionIdentity,
  type Sessions,
} from './sessions.ts';
