export { createFeedback, type Feedback } from './feedback.ts';
