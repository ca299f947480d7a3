/**
 * The program that tests start: the built one where this run of tests has built it, as `npm test` does, else the source.
 * A built program starts in a third of the processor time, and is what users run.
 * @param source path of the program's source, `<package>/bin/<name>.ts`
 */
export function testedProgram(source: string): string {
  if (process.env.TEST_BUILT_PROGRAMS === undefined) {
    return source;
  }
  return source.replace(/([\\/])bin([\\/])([\w-]+)\.ts$/, "$1dist$2$3.cjs");
}
