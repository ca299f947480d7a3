/**
 * The program that tests start. It is the built program when this test run has built it, as `npm test` does, otherwise
 * the source. A built program starts in a third of the CPU time, and it is the one that users run.
 * @param source path of the program's source, `<package>/bin/<name>.ts`
 */
export function testedProgram(source: string): string {
  if (process.env.TEST_BUILT_PROGRAMS === undefined) {
    return source;
  }
  return source.replace(/([\\/])bin([\\/])([\w-]+)\.ts$/, "$1dist$2$3.cjs");
}
