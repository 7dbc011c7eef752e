/**
 * Imported by every process of a run: exits when the parent is gone, however it ended. The IPC channel alone does not
 * keep the process alive.
 */
process.on('disconnect', () => process.exit(1));
process.channel?.unref();
