/** Questions that the two programs answer differently, with the reason. The list only shrinks. */
export const knownCommandDifferences: Readonly<Record<string, string>> = {
  "storage import what is no archive": "exit code 1: 3 is an error while stopping, and nothing was stopped",
  "manpage without a folder": "exit code 1, as for every other option that is missing",
};
