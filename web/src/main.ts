import { mount } from "svelte";
import App from "./App.svelte";
import "./design/tokens.css";
import "./design/base.css";

const target = document.getElementById("app");
// Remove the frame that was rendered into the document at build time.
target?.replaceChildren();
if (target) mount(App, { target });
