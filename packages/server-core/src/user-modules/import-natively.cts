/**
 * `import()` by the loader of the process itself. Test runners put their own in its place in every file that they load;
 * this one is loaded through `require`, which they leave alone.
 */
module.exports = (specifier: string): Promise<unknown> => import(specifier);
