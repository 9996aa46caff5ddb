"use strict";
require("./load.js").load("worker");
