import type { Plugin } from "rolldown";

/**
 * Files of packages that no process uses, and that their packages load all the same: with them parts of Node (worker
 * threads, zlib) that cost half a megabyte each. Paths within `node_modules`.
 */
const leftOut =
  /\/node_modules\/(?:pino\/lib\/(?:transport|multistream)|@prometheus-io\/client\/lib\/(?:pushgateway|worker))\.js$/;

/**
 * pino loads worker threads to know whether it runs in one, which matters only to logs that are not written at once: there
 * are none.
 */
const pinoTools = /\/node_modules\/pino\/lib\/tools\.js$/;
const mainThreadLine = "const { isMainThread } = require('worker_threads')";

/**
 * Puts a function that throws in the place of files that no process uses, and leaves out what is loaded for nothing.
 * @throws Error (the build) when a new version of a package has that no more
 */
export function leftOutFiles(): Plugin {
  return {
    name: "left-out-files",
    transform: {
      filter: { id: pinoTools },
      handler(code, id) {
        if (!code.includes(mainThreadLine)) {
          throw new Error(`${id} has no line ${mainThreadLine}`);
        }
        return { code: code.replace(mainThreadLine, "const isMainThread = true") };
      },
    },
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
