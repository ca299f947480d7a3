/** The oldest Node whose V8 is known to have the options that programs ask for. */
export const knownSinceMajor = 26;

/** The oldest Node that runs the programs: what they call of it is in all later ones. */
export const oldestNodeMajor = 24;
