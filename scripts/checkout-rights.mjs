// Packages and builds are kept in the checkout. Says in a sentence that it cannot be written to: npm and pnpm give other reasons
// then, each its own. Plain JavaScript for Node 20.

import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";

/** @returns why nothing can be made in a folder, or undefined; one that is not there yet is made in the one above it */
function refusal(folder) {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch ({ code }) {
    return code === "ENOENT" && dirname(folder) !== folder ? refusal(dirname(folder)) : { folder, code };
  }
}

const reasons = { EROFS: "it is mounted read-only", EACCES: "it belongs to another user" };

/**
 * @param folders that are to be written to
 * @returns what to do, as lines for the terminal; an empty text where all can be written to
 */
export function checkoutRightsText(...folders) {
  const refused = folders.map(refusal).find((each) => each !== undefined);
  if (refused === undefined) {
    return "";
  }
  const why = reasons[refused.code] ?? refused.code;
  return [
    `cannot start: ${refused.folder} cannot be written to (${why}).`,
    "Packages and builds are kept in the checkout: start in a copy of your own, or prepare it once as a user who may write there",
    `(npm start there, then Ctrl-C). After that only the data folder is written to: npm start -- --data FOLDER\n`,
  ].join("\n");
}
