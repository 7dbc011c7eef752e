export { countBatches } from './active-job.ts';
export { type DurableJob, RetryLaterError, TooManyJobsError } from './durable-job.ts';
export { DurableJobs } from './durable-jobs.ts';
export type { Job, JobKind, JobRefusal, JobRequest, StoppedCounts } from './job.ts';
export type { JobScope } from './job-scope.ts';
export { Jobs } from './jobs.ts';
export { WorkStoppedError } from './work-stopped-error.ts';
