import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { OutputChunk } from "rolldown";

/** The source files that a start begins with. Paths are relative to the package. */
export interface PackedStart {
  /** These files and their imports become one file. */
  readonly files: readonly string[];
  /** These files and their imports stay separate files, for example the programs of small threads and of short commands. */
  readonly apart?: readonly string[];
}

/** The entry with the first lines of a program, which decide whether the process restarts. */
export const startEntry = "\0start";

/** The entry that loads a pack with its kept compiled code. */
export const packLoader = "load-pack";

/** The files themselves and all files that they load. */
function closureOf(roots: Iterable<OutputChunk>, byFile: ReadonlyMap<string, OutputChunk>): Set<string> {
  const found = new Set<string>();
  const add = (chunk: OutputChunk) => {
    if (!found.has(chunk.fileName)) {
      found.add(chunk.fileName);
      for (const name of chunk.imports) {
        const imported = byFile.get(name);
        if (imported !== undefined) {
          add(imported);
        }
      }
    }
  };
  for (const root of roots) {
    add(root);
  }
  return found;
}

const lazyRequire =
  /process\.getBuiltinModule\([`"]node:module[`"]\)\.createRequire\(__filename\)\([`"](\.\/[^`"]+)[`"]\)/g;
const plainRequire = /\brequire\([`"](\.\/[^`"]+)[`"]\)/g;

/**
 * The text of a pack: a script whose value is the function that `loadPack` calls. As a module the pack exports this
 * function.
 */
function packText(distFolder: string, names: readonly string[]): string {
  const files = names.map((name) => {
    const text = readFileSync(join(distFolder, name), "utf8").replace(lazyRequire, 'require("$1")');
    return `${JSON.stringify(`./${name}`)}(exports,module,require){${text}\n}`;
  });
  return `{const pack=function(outer,__filename,__dirname){
const loaded={__proto__:null};
const require=(name)=>{
const known=loaded[name];
if(known!==undefined)return known.exports;
const load=files[name];
if(load===undefined)return outer(name);
const module=loaded[name]={exports:{}};
let done=false;
try{load.call(module.exports,module.exports,module,require);done=true}finally{if(!done)delete loaded[name]}
return module.exports};
const files={__proto__:null,
${files.join(",\n")}
};
return require};
if(typeof module==="object")module.exports=pack;
pack}
`;
}

/**
 * Joins the files that a start loads into one file, in which all other files find their modules. Each file costs a
 * start a third of a millisecond per thread, regardless of its size.
 * @param name name of the program; the pack is `<name>-start.cjs`
 * @returns the names of the joined files
 */
export function packStart(
  { packageFolder, distFolder, name }: { packageFolder: string; distFolder: string; name: string },
  chunks: readonly OutputChunk[],
  { files, apart = [] }: PackedStart,
): string[] {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const chunkOf = (path: string) => {
    const id = resolve(packageFolder, path);
    const found =
      chunks.find((chunk) => chunk.facadeModuleId === id) ?? chunks.find((chunk) => id in chunk.modules);
    if (found === undefined) {
      throw new Error(`${path} is in no file of ${name}`);
    }
    return found;
  };
  const isFirst = (chunk: OutputChunk) => chunk.facadeModuleId === startEntry || chunk.name === packLoader;
  const kept = closureOf([...chunks.filter(isFirst), ...apart.map(chunkOf)], byFile);
  const packed = [...closureOf(files.map(chunkOf), byFile)].filter((file) => !kept.has(file));
  const text = packText(distFolder, packed);
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const isPacked = new Set(packed);
  for (const { fileName } of chunks.filter((chunk) => !isPacked.has(chunk.fileName))) {
    const path = join(distFolder, fileName);
    const before = readFileSync(path, "utf8");
    const after = before
      .replace(lazyRequire, (whole, id: string) => (isPacked.has(id.slice(2)) ? `require("${id}")` : whole))
      .replace(plainRequire, (whole, id: string) =>
        isPacked.has(id.slice(2)) ? `require("./${name}-pack.cjs")("${id}")` : whole,
      );
    if (after !== before) {
      writeFileSync(path, after);
    }
  }
  for (const file of packed) {
    rmSync(join(distFolder, file));
  }
  writeFileSync(join(distFolder, `${name}-start.cjs`), text);
  writeFileSync(
    join(distFolder, `${name}-pack.cjs`),
    `module.exports=require("./${packLoader}.cjs").loadPack(\`\${__dirname}/${name}-start.cjs\`,"${hash}",require);\n`,
  );
  return packed;
}
