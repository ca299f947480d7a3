import { createHash } from "node:crypto";
import path from "node:path";
import react from "@vitejs/plugin-react";
import { build, type Plugin } from "vite";

/** Where the viewer lies in the build; save-as-html.ts asks for it by this name. */
const fileName = "static/offline-viewer.html";

/**
 * Builds the trace page a second time, as one HTML file with all scripts and styles in it, into which the app
 * puts a trace when somebody saves it. Its content security policy admits these very scripts and styles and
 * nothing else: a saved trace asks no server and runs nothing that is in its data.
 */
export function offlineViewer(): Plugin {
  return {
    name: "offline-viewer",
    apply: "build",
    async generateBundle() {
      const root = path.resolve(import.meta.dirname, "..");
      const result = await build({
        root,
        configFile: false,
        logLevel: "warn",
        plugins: [react()],
        build: {
          write: false,
          target: "es2022",
          cssCodeSplit: false,
          modulePreload: false,
          reportCompressedSize: false,
          rolldownOptions: {
            input: path.join(root, "src/offline/main.tsx"),
            output: { format: "es", codeSplitting: false },
          },
        },
      });
      const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) =>
        "output" in one ? one.output : [],
      );
      let script = "";
      let style = "";
      for (const output of outputs) {
        if (output.type === "chunk") {
          script += output.code;
        } else if (output.fileName.endsWith(".css")) {
          style += String(output.source);
        }
      }
      this.emitFile({ type: "asset", fileName, source: viewerPage(script, style) });
    },
  };
}

function viewerPage(script: string, style: string): string {
  // Text that would end the element, or begin a comment in it, is escaped so that the script means the same.
  const safe = script.replaceAll(/<(?=\/script|!--)/gi, "\\x3c");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hashOf(safe)}; style-src ${hashOf(style)}; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Trace</title>
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<!-- trace data -->
<script type="module">${safe}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
