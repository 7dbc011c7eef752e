export { type DurableJob, TooManyJobsError } from './durable-job.ts';
export { DurableJobs } from './durable-jobs.ts';
export type { Job, JobKind, JobOutcome, JobQueue, JobRefusal, JobRequest, JobWork, StoppedCounts } from './job.ts';
export { isWithin, type JobScope } from './job-scope.ts';
export { Jobs } from './jobs.ts';
export { isTakenOver, WorkStoppedError } from './work-stopped-error.ts';
