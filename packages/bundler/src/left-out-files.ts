import type { Plugin } from "rolldown";

/**
 * Files of packages that no process uses, but that their packages load. Each of them loads a part of Node
 * (worker threads, zlib) that costs half a megabyte. Paths within `node_modules`.
 */
const leftOut =
  /\/node_modules\/(?:pino\/lib\/(?:transport|multistream)|@prometheus-io\/client\/lib\/(?:pushgateway|worker))\.js$/;

/**
 * pino loads worker threads to learn whether it runs in one. Only logs with delayed writes need that, and no
 * process has them.
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
