import { useEffect } from "react";

import { useRemembered } from "../api/use";

const THEMES = { system: "As the system", light: "Light", dark: "Dark" };

/** Light, dark, or as the system has it; the browser remembers. */
export function ThemeChoice() {
  const [theme, setTheme] = useRemembered<keyof typeof THEMES>("theme", "system");
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return (
    <label className="theme">
      <span className="unseen">Colours</span>
      <select value={theme} onChange={(event) => setTheme(event.target.value as keyof typeof THEMES)}>
        {Object.entries(THEMES).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
