export { isTakenOver, WorkStoppedError } from '../../core/jobs/index.ts';
