import type { Control } from 'telegram-bot-simulator';
import { listOtherButtons } from '../harness/chats.ts';
import { answerAtLength, toAnswerPages } from '../samples/long-answers.ts';
import type { StormPlace, Work } from './storm.ts';

interface AskingOptions {
  /**
   * Text of the notice below an answer that ended early, in a message with a button. Default: no answer may end early.
   */
  readonly notice?: string;
}

interface AskingUser {
  readonly chatId: number;
  /** Pages of each expected answer, in order. */
  readonly answers: readonly (readonly string[])[];
}

/** Message of the bot. */
interface Said {
  readonly text: string;
  readonly hasButton: boolean;
}

/** Creates simulated users who ask questions and check the long answers of `answerAtLength`. */
export function createAskingUsers(control: Control, { notice }: AskingOptions = {}) {
  const users: AskingUser[] = [];
  const listSaid = ({ chatId }: AskingUser): Said[] =>
    control.transcript(chatId).flatMap(({ message }) => {
      const { from, text = '' } = message;
      return from?.is_bot ? [{ text, hasButton: listOtherButtons(message).length > 0 }] : [];
    });
  const isNotice = ({ text, hasButton }: Said) => text === notice && hasButton;

  /**
   * Returns the number of messages of an answer: all pages, or the part delivered and the notice. 0 if they are wrong.
   */
  const countOfAnswer = (said: readonly Said[], pages: readonly string[]): number => {
    const firstOther = pages.findIndex((page, at) => said[at]?.text !== page || said[at].hasButton);
    if (firstOther === -1) return pages.length;
    const [other, next] = said.slice(firstOther);
    if (other && isNotice(other)) return firstOther + 1;
    const isPart = other && !other.hasButton && pages[firstOther]?.startsWith(other.text.trimEnd());
    return isPart && next && isNotice(next) ? firstOther + 2 : 0;
  };

  const complain = (user: AskingUser): string[] => {
    let said = listSaid(user);
    for (const pages of user.answers) {
      const count = countOfAnswer(said, pages);
      if (count === 0) return [describe(user, listSaid(user))];
      said = said.slice(count);
    }
    return said.length === 0 ? [] : [describe(user, listSaid(user))];
  };

  return {
    /** Sends these questions from a new user, one right after another. @returns the chat's id */
    ask(...questions: readonly string[]): number {
      const chatId = control.createChat({ type: 'private', person: { firstName: `Person ${users.length}` } }).id;
      users.push({ chatId, answers: questions.map(toAnswerPages) });
      const [first = '', ...others] = questions;
      const replyTo = control.sendMessage(chatId, { text: first }).message.message_id;
      // Replies are separate questions, however quickly they follow.
      for (const text of others) control.sendMessage(chatId, { text, replyTo });
      return chatId;
    },
    /**
     * Returns errors, one line for each chat. Empty if each chat contains the answers to its questions in order, every
     * page exactly once and unchanged, and no extra buttons.
     */
    findComplaints: () => users.flatMap(complain),
    /** Returns the number of answers that ended early with a notice. */
    countInterrupted: () => users.flatMap(listSaid).filter(isNotice).length,
  };
}

/**
 * Describes a chat: `chat 7: answers 2, has 1.1 1.2* 1.3 2.1… "what else?"`: answer and page, a star for a button, an
 * ellipsis for a partial page.
 */
function describe({ chatId, answers }: AskingUser, said: readonly Said[]): string {
  const pages = answers.flatMap((texts, asked) => texts.map((text, at) => ({ text, name: `${asked + 1}.${at + 1}` })));
  const names = said.map(({ text, hasButton }) => {
    const whole = pages.find((page) => page.text === text)?.name;
    const part = pages.find((page) => page.text.startsWith(text.trimEnd()))?.name;
    return `${whole ?? (part === undefined ? JSON.stringify(text.slice(0, 40)) : `${part}…`)}${hasButton ? '*' : ''}`;
  });
  return `chat ${chatId}: should have ${pages.map(({ name }) => name).join(' ')}, has ${names.join(' ') || 'nothing'}`;
}

/** Creates the work of long answers: three users ask in each round, one of them twice. Every page is shown once, in order. */
export function createAnswers({ stage }: StormPlace): Work {
  stage.provider.behaveUsually(answerAtLength());
  const users = createAskingUsers(stage.telegram.control);
  return {
    begin(round) {
      users.ask(`round ${round}, one`);
      users.ask(`round ${round}, two`);
      users.ask(`round ${round}, three`, `round ${round}, and four`);
    },
    findComplaints: users.findComplaints,
  };
}
