import type { Answers } from '../../answers/answers.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { KeyboardChanges } from '../../framework/keyboard-changes.ts';
import type { QuestionService } from '../../questions/ask.ts';

export interface CompareServices extends BotDeps {
  readonly answers: Answers;
  readonly keyboards: KeyboardChanges;
  readonly questionService: QuestionService;
}
