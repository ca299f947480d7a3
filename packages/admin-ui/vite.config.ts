import react from "@vitejs/plugin-react";
import { contentPolicyPlugin } from "ui-kit/build/content-policy.ts";
import { defineConfig } from "vite";

const server = process.env.SERVER_ADMIN ?? "localhost:2019";

export default defineConfig({
  base: "./",
  plugins: [react(), contentPolicyPlugin()],
  build: { assetsDir: "static", target: "es2022", reportCompressedSize: true },
  server: {
    proxy: {
      "^/(config|history|http|adapt|load|pull|metrics|validate|listeners|tls|reverse_proxy|debug)": {
        target: `http://${server}`,
        changeOrigin: true,
        // The admin endpoint admits its own origin alone.
        headers: { origin: `http://${server}` },
      },
    },
  },
});
