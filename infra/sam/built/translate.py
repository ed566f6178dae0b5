"""Reads a SAM template from stdin and writes the CloudFormation it becomes, as JSON."""

import contextlib
import json
import os
import sys

os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")

from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

template = yaml_parse(sys.stdin.read())
# What `sam package` does: the code lies in a bucket.
code = {"Bucket": "artifacts", "Key": "code.zip"}
for part in [template.get("Globals", {}).get("Function", {})] + [
    r.get("Properties", {}) for r in template["Resources"].values() if r["Type"] == "AWS::Serverless::Function"
]:
    if isinstance(part.get("CodeUri"), str):
        part["CodeUri"] = code
with contextlib.redirect_stdout(sys.stderr):
    out = Translator(managed_policy_map={}, sam_parser=Parser()).translate(template, parameter_values={})
json.dump(out, sys.stdout)
