/** The oldest Node whose V8 is known to have the options that programs ask for. */
export const knownSinceMajor = 26;
