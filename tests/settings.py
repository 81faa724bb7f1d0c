SECRET_KEY = "tests"
