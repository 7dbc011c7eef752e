export { countBatches, WorkStoppedError } from './active-job.ts';
export { type DurableJob, RetryLaterError, TooManyJobsError } from './durable-job.ts';
export { DurableJobs } from './durable-jobs.ts';
export type { Job, JobKind, JobRefusal, JobRequest, JobScope, StoppedCounts } from './job.ts';
export { Jobs } from './jobs.ts';
