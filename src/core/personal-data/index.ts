export { createPersonalData, type PersonalData } from './personal-data.ts';
export type { ExportedConversation, PersonalExport } from './read-export.ts';
