"use strict";
require("./load.js").load("usage-worker");
