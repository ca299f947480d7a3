import react from "@vitejs/plugin-react";
import { contentPolicyPlugin } from "ui-kit/build/content-policy.ts";
import { defineConfig } from "vite";
import { offlineViewer } from "./build/offline-viewer.ts";

export default defineConfig({
  // Relative addresses: the query service serves the same build under any base path.
  base: "./",
  plugins: [react(), offlineViewer(), contentPolicyPlugin()],
  build: {
    assetsDir: "static",
    target: "es2022",
    reportCompressedSize: true,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": "http://127.0.0.1:16686" } },
});
