import type { Plugin } from "rolldown";

/**
 * Files that packages load, but no process uses. Each file loads a part of Node
 * (worker threads, zlib) that costs half a megabyte. Paths within `node_modules`.
 */
const leftOut =
  /\/node_modules\/(?:pino\/lib\/(?:transport|multistream)|@prometheus-io\/client\/lib\/(?:pushgateway|worker))\.js$/;

/**
 * pino loads the module of worker threads to find out whether it runs in a worker. Only logs with delayed writes need
 * this, and no process has such logs.
 */
const pinoTools = /\/node_modules\/pino\/lib\/tools\.js$/;
const mainThreadLine = "const { isMainThread } = require('worker_threads')";

/**
 * Replaces files that no process uses by a function that throws, and removes needless imports.
 * @throws Error, which fails the build, when a new version of a package lacks such a file or import
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
