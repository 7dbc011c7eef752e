export {
  createMemories,
  MAX_MEMORIES,
  MAX_MEMORY_CHARACTERS,
  type Memories,
  type Memory,
  type MemorySource,
  moveMemories,
  toMemoryText,
} from './memories.ts';
export { rankMemories, searchMemories, selectMemories } from './rank-memories.ts';
