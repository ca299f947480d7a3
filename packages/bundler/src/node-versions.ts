/** The oldest Node whose V8 surely has the options that programs ask for. */
export const knownSinceMajor = 26;

/** The oldest Node that runs the programs. */
export const oldestNodeMajor = 24;
