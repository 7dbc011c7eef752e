/**
 * Imported by every process of a run: ends it when the run that started it is gone, however that one ended.
 * The channel to the parent keeps nothing alive by itself.
 */
process.on('disconnect', () => process.exit(1));
process.channel?.unref();
