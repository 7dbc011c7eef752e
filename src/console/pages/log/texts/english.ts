export const english = {
  about: 'The last warnings and errors of this process. The whole log is its standard output.',
  none: 'No warnings and no errors since the start.',
  entries: 'Warnings and errors',
  time: 'Time',
  level: 'Level',
  levels: { warn: 'warning', error: 'error', fatal: 'fatal error' },
  message: 'Message',
  facts: 'Details',
};
