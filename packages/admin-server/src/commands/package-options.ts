import type { OptionDefinition } from "../cli/command.ts";

/** Option of the commands that change packages. */
export const keepBackupOption = {
  kind: "switch",
  short: "k",
  about: "Keeps the packages of before, in a folder beside the new ones whose name ends in .bak",
} as const satisfies OptionDefinition;
