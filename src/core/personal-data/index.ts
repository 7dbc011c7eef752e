export { createPersonalData } from './personal-data.ts';
export type { ExportedConversation, PersonalExport } from './read-export.ts';
