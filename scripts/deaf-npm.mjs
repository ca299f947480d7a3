// npm before 10.3 catches SIGTERM and SIGINT and tells nobody: it waits for the script that it runs, which hears nothing. Node 20 comes
// with such ones up to 20.11. Plain JavaScript for Node 20.

/**
 * @param environment that npm gives its scripts
 * @param pid of the process that hears signals
 * @returns what to do in place of a signal to npm; an empty text where npm passes it on, or did not start this
 */
export function deafNpmText(environment, pid) {
  const [, version, major, minor] =
    /^npm\/((\d+)\.(\d+)\S*) /.exec(environment.npm_config_user_agent ?? "") ?? [];
  const isDeaf = Number(major) < 10 || (Number(major) === 10 && Number(minor) < 3);
  return version !== undefined && environment.npm_lifecycle_event !== undefined && isDeaf
    ? `npm ${version} keeps SIGTERM for itself: to stop, press Ctrl-C or send it to process ${pid}. npm 10.3 and later pass it on.\n`
    : "";
}
