import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { classesWithoutSheet } from "./class-sheets.ts";

const packages = path.resolve(import.meta.dirname, "../../..");
const kit = path.join(packages, "ui-kit/src");

test.each(["tracing-ui", "admin-ui"])(
  "%s: each element's classes are styled by a sheet that is loaded",
  (app) => {
    expect(classesWithoutSheet(path.join(packages, app, "src"), kit)).toEqual([]);
  },
);

test("a class of a page that may not have been open is found, one of the page itself or of the app is not", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "class-sheets-"));
  try {
    mkdirSync(path.join(folder, "kit"));
    const files: Record<string, string> = {
      "app/main.tsx":
        'import "./main.css";\nconst a = lazy(() => import("./a.tsx")), b = lazy(() => import("./b.tsx"));',
      "app/main.css": ".shared { color: red; }",
      "app/a.tsx": 'import "./a.css";\nimport { part } from "./part.tsx";',
      "app/a.css": ".own { color: red; }\n.taken { color: red; }",
      "app/part.tsx":
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of a component
        'const view = lazy(() => import("./view.tsx"));\n<p className={x ? "own" : `shared ${y}`} />',
      "app/view.tsx": '<p className="own" />',
      "app/b.tsx": '<p className={x === "a" ? "unknown taken" : undefined} />',
    };
    mkdirSync(path.join(folder, "app"));
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(path.join(folder, name), text);
    }
    expect(classesWithoutSheet(path.join(folder, "app"), path.join(folder, "kit"))).toEqual([
      "b.tsx: taken (a.css)",
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
