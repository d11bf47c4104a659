import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "./App";
import "./design/base.css";
import "./design/parts.css";
import "./design/start.css";
import "./design/watch.css";
import "./design/review.css";
import "./design/texts.css";

createRoot(document.getElementById("page")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
