import type { Control } from 'telegram-bot-simulator';
import { listOtherButtons } from './answer-buttons.ts';
import { toAnswerPages } from './long-answers.ts';

/** People who ask, and wait for the long answers of `answerAtLength`. */
export interface AskingPeople {
  /** Somebody new writes to the bot: these questions, one right after the other. @returns the chat's id */
  ask(...questions: readonly string[]): number;
  /**
   * What is wrong, a line for each chat. Nothing, when each holds the answers to its questions in order, every page once, character
   * by character, and no button that is left over.
   */
  findComplaints(): string[];
  /** Answers that ended early, and said so. */
  countInterrupted(): number;
}

export interface AskingPeopleOptions {
  /** The words behind an answer that has ended early, in a message with a button. Default: none may. */
  readonly notice?: string;
}

interface Asker {
  readonly chatId: number;
  /** The pages of each answer that is owed, in order. */
  readonly answers: readonly (readonly string[])[];
}

/** A message of the bot. */
interface Said {
  readonly text: string;
  readonly hasButton: boolean;
}

/** @param control of the simulator in which they live. */
export function createAskingPeople(control: Control, { notice }: AskingPeopleOptions = {}): AskingPeople {
  const users: Asker[] = [];
  const listSaid = ({ chatId }: Asker): Said[] =>
    control.transcript(chatId).flatMap(({ message }) => {
      const { from, text = '' } = message;
      return from?.is_bot ? [{ text, hasButton: listOtherButtons(message).length > 0 }] : [];
    });
  const isNotice = ({ text, hasButton }: Said) => text === notice && hasButton;

  /** How many messages belong to an answer: the whole one, or what there is of it and the notice. 0 where something is wrong. */
  const countOfAnswer = (said: readonly Said[], pages: readonly string[]): number => {
    const firstOther = pages.findIndex((page, at) => said[at]?.text !== page || said[at].hasButton);
    if (firstOther === -1) return pages.length;
    const [other, next] = said.slice(firstOther);
    if (other && isNotice(other)) return firstOther + 1;
    const isPart = other && !other.hasButton && pages[firstOther]?.startsWith(other.text.trimEnd());
    return isPart && next && isNotice(next) ? firstOther + 2 : 0;
  };

  const complain = (asker: Asker): string[] => {
    let said = listSaid(asker);
    for (const pages of asker.answers) {
      const count = countOfAnswer(said, pages);
      if (count === 0) return [describe(asker, listSaid(asker))];
      said = said.slice(count);
    }
    return said.length === 0 ? [] : [describe(asker, listSaid(asker))];
  };

  return {
    ask(...questions) {
      const chatId = control.createChat({ type: 'private', person: { firstName: `Person ${users.length}` } }).id;
      users.push({ chatId, answers: questions.map(toAnswerPages) });
      const [first = '', ...others] = questions;
      const replyTo = control.sendMessage(chatId, { text: first }).message.message_id;
      // As replies they are questions of their own, however soon they come.
      for (const text of others) control.sendMessage(chatId, { text, replyTo });
      return chatId;
    },
    findComplaints: () => users.flatMap(complain),
    countInterrupted: () => users.flatMap(listSaid).filter(isNotice).length,
  };
}

/** `chat 7: answers 2, has 1.1 1.2* 1.3 2.1… "what else?"`: answer and page, a star for a button, dots for a part of it. */
function describe({ chatId, answers }: Asker, said: readonly Said[]): string {
  const pages = answers.flatMap((texts, asked) => texts.map((text, at) => ({ text, name: `${asked + 1}.${at + 1}` })));
  const names = said.map(({ text, hasButton }) => {
    const whole = pages.find((page) => page.text === text)?.name;
    const part = pages.find((page) => page.text.startsWith(text.trimEnd()))?.name;
    return `${whole ?? (part === undefined ? JSON.stringify(text.slice(0, 40)) : `${part}…`)}${hasButton ? '*' : ''}`;
  });
  return `chat ${chatId}: should have ${pages.map(({ name }) => name).join(' ')}, has ${names.join(' ') || 'nothing'}`;
}
