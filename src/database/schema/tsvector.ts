import { customType } from 'drizzle-orm/pg-core';

/** Column type of full text search. */
export const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });
