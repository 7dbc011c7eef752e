import { answerParent } from '../../lib/answer-parent.ts';
import { type DecodingTask, decodePicture } from './decode-picture.ts';

// The parent is the same program, so the type of its data is known.
await answerParent((task) => decodePicture(task as DecodingTask));
