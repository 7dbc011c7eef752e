import { answerParent } from '../../lib/process/answer-parent.ts';
import { type DecodingTask, decodeImage } from './decode-image.ts';

// The parent is the same program, so the type of its data is known.
await answerParent((task) => decodeImage(task as DecodingTask));
