import fc from 'fast-check';

/** Property tests try the same inputs in each run, so that a change fails by its own faults only. `FAST_CHECK_SEED` tries others. */
const SEED = Number(process.env['FAST_CHECK_SEED'] ?? 1);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
