import type { ShippedPersonaKey } from './shipped-personas.ts';

const shipped: Record<
  ShippedPersonaKey,
  {
    readonly name: string;
    readonly description: string /** What it may be asked: at most what a button shows. */;
    readonly example: string;
  }
> = {
  assistant: {
    name: 'Assistant',
    description: 'Answers whatever you ask, clearly and to the point.',
    example: 'What should I see in Lisbon?',
  },
  translator: {
    name: 'Translator',
    description: 'Translates everything you send into the language you name.',
    example: 'Into Spanish: where is the station?',
  },
  programmer: {
    name: 'Programmer',
    description: 'Writes code that works, finds bugs, explains decisions.',
    example: 'Read a CSV file in Python',
  },
  proofreader: {
    name: 'Proofreader',
    description: 'Corrects your texts and says what was changed.',
    example: 'Me and him was late because of the rain',
  },
  teacher: {
    name: 'Teacher',
    description: 'Asks instead of telling, until you have found it out yourself.',
    example: 'Why is the sky blue?',
  },
  lawyer: {
    name: 'Law explained',
    description: 'Explains rights and duties in plain words. No legal advice.',
    example: 'May my landlord raise the rent?',
  },
  cook: { name: 'Cook', description: 'Recipes from what you have at home.', example: 'Eggs, rice, half a cabbage' },
  fitness: {
    name: 'Fitness coach',
    description: 'Training plans that fit you, and technique.',
    example: 'Three times a week, no equipment',
  },
  storyteller: {
    name: 'Storyteller',
    description: 'Tells stories; you can decide how they go on.',
    example: 'A lighthouse, a storm, a stranger',
  },
  interviewer: {
    name: 'Interviewer',
    description: 'Practises job interviews and exams with you.',
    example: 'A job as a data analyst',
  },
  brainstormer: {
    name: 'Brainstormer',
    description: 'Ten different ideas, and which to try first.',
    example: 'A birthday for a ten-year-old',
  },
  summariser: { name: 'Summariser', description: 'The essence of long texts.', example: 'The plot of Moby-Dick' },
};

/** The bot's own words about personas, in English. */
export const englishPersonas = {
  shipped,
  buttons: {
    personas: 'Personas',
    use: 'Use in this conversation',
    useAlways: 'Use in every conversation',
    useNoLonger: 'No longer in every conversation',
    drop: 'No longer in this conversation',
    details: 'Details',
    make: 'New persona',
    rename: 'Rename',
    edit: 'Instructions',
    share: 'Share',
    shareNow: 'Make a link',
    unshare: 'Stop sharing',
    delete: 'Delete',
    deleteForGood: 'Yes, delete it',
    keep: 'Keep it',
    ownInstructions: 'Own instructions',
  },
  heading: (current: string | undefined) =>
    current === undefined ? 'Who should answer?' : `Who should answer? Now: ${current}`,
  isHere: 'Answers in this conversation.',
  isDefault: 'Answers in every conversation that has no other persona.',
  used: (name: string) => `${name} answers in this conversation from now on.`,
  usedAlways: (name: string) => `${name} answers from now on, here and in every new conversation.`,
  usedNoLonger: 'New conversations start without a persona again.',
  gone: 'This persona is no longer there.',
  linked: (name: string) => `A new conversation: ${name} answers here.`,
  askSharing:
    'Anyone with the link gets a copy of the name and all instructions. You can stop sharing at any time; existing copies stay.',
  shared: (link: string) => `The link: ${link}`,
  unshared: 'Sharing stopped. The link no longer works.',
  copied: 'This persona was shared with you. You now have your own copy in /persona. Its instructions:',
  forExample: 'Write to it, for example:',
  unknownLink: 'This link leads to a persona that does not exist (any more). /persona lists the available ones.',
  noneFound: (name: string) => `No persona is called “${name}”. These are there:`,
  askName: (limit: number) => `What should it be called? At most ${limit} characters.`,
  askInstructions: (name: string) =>
    `What instructions should ${name} follow? Say who it is and how it should answer, in one message.`,
  askNewName: 'Send me the new name.',
  badName: (limit: number) => `A name has 1 to ${limit} characters, in one line. Send me another one.`,
  nameTaken: (name: string) => `You have a persona called ${name} already. Send me another name.`,
  full: (limit: number) => `You have ${limit} personas, the maximum. Delete one first.`,
  instructionsTooLong: (length: number, limit: number) =>
    `That is too long: ${length} characters, and ${limit} are possible. Send me a shorter text.`,
  noInstructions: 'It needs instructions. Send me a text.',
  made: (name: string) => `Persona “${name}” created.`,
  saved: 'Saved.',
  askDeletion: 'Delete this persona? Conversations that have it go on without it.',
  deleted: (name: string) => `${name} is deleted.`,
};
