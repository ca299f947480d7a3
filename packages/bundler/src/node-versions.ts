/** The oldest major version of Node whose V8 has all options of the programs. */
export const knownSinceMajor = 26;

/** The oldest major version of Node that runs the programs. */
export const oldestNodeMajor = 24;
