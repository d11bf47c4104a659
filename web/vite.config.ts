import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const FAKE = "http://127.0.0.1:8140";

// Files keep their names from build to build: the built page is committed, and the server sends ETags.
export default defineConfig({
  base: "/page/",
  plugins: [react()],
  server: { host: "127.0.0.1", proxy: { "/page/api": FAKE, "/threads": FAKE } },
  build: {
    outDir: "../draftroom/page/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1400,
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
});
