export { createImageJobs, type ImageJobs, type StoredImageJob } from './drawings.ts';
