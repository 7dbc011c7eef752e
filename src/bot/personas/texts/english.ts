/** Built-in personas; the example must fit on a button. */
export const english = {
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
    description: 'Corrects your texts and explains the changes.',
    example: 'Me and him was late because of the rain',
  },
  teacher: {
    name: 'Teacher',
    description: 'Asks questions until you find the answer yourself.',
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
    description: 'Tells stories; you decide what happens next.',
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
  summariser: { name: 'Summariser', description: 'The key points of long texts.', example: 'The plot of Moby-Dick' },
};
