export { createImageJobs, type ImageJobs, type StoredImageJob } from './image-jobs.ts';
