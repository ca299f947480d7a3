import type { Plugin } from "rolldown";

/**
 * Files of packages that no process uses, and that their packages load all the same: with them parts of Node (worker
 * threads, zlib) that cost half a megabyte each. Paths within `node_modules`.
 */
const leftOut = /\/node_modules\/(?:pino\/lib\/(?:transport|multistream)|prom-client\/lib\/pushgateway)\.js$/;

/** Puts a function that throws in the place of files that no process uses. */
export function leftOutFiles(): Plugin {
  return {
    name: "left-out-files",
    load: {
      filter: { id: leftOut },
      handler: (id) => ({
        code: `module.exports = function leftOut() {
  throw new Error(${JSON.stringify(`${id.replace(/^.*\/node_modules\//, "")} was left out of this program`)});
};`,
        moduleType: "js",
      }),
    },
  };
}
